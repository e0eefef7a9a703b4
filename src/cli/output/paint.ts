// Colours of errors and warnings for people who read a terminal. They only repeat what the text says.

import { styleText } from "node:util";
import type { Context } from "../command.ts";

/** On a terminal only, and not with `--json`, NO_COLOR (https://no-color.org) or TERM=dumb. */
export function paint(
  colour: "red" | "yellow",
  text: string,
  { err, environment, json }: Pick<Context, "err" | "environment" | "json">,
): string {
  const isWanted = (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
  if (err.isTTY !== true || !isWanted || json) return text;
  return styleText(colour, text, { validateStream: false });
}
