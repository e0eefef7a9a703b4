// Colours for people who read a terminal. They only repeat what the text says, so nothing is lost without them.

import { styleText } from "node:util";

/** What a colour means: everything is well, something is open, or something failed or ended. */
export type Tone = "good" | "open" | "bad";

/** Returns the text in the colour of the tone, or unchanged if there are no colours. */
export type Paint = (tone: Tone, text: string) => string;

const formats = { good: "green", open: "yellow", bad: "red" } as const;

export const plain: Paint = (_, text) => text;

/** Colours on a terminal only, and not with `--json`, NO_COLOR (https://no-color.org) or TERM=dumb. */
export function makePaint(
  { isTTY }: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
  { json }: { readonly json: boolean },
): Paint {
  const isWanted = (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
  if (isTTY !== true || !isWanted || json) return plain;
  return (tone, text) => styleText(formats[tone], text, { validateStream: false });
}
