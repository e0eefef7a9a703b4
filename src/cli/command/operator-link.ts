// `sluice operator link`: prints a sign-in link, once. The other commands about operators are in src/noun/operator.ts.

import { UsageError } from "../../actions/operator/operator-error.ts";
import { createSignInLink } from "../../actions/operator/sign-in-link.ts";
import { type Config, readConfig } from "../../settings/config.ts";
import { type Context, defineCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { formatTime } from "../output/table.ts";

export const operatorLink = defineCommand({
  name: "operator link",
  summary: "Create a link by which an operator signs in to the console, once.",
  details:
    "The link is valid for ten minutes, and replaces an earlier one that was not used. After signing in, the person can " +
    "register a passkey, and then needs no further link. The link begins with CONSOLE_URL, or with localhost and PORT where that " +
    "is not set.",
  examples: ["sluice operator link anna"],
  rights: ["operator.link"],
  arguments: { name: required(text("NAME"), "The operator.") },
  run: async (context, { name }) => {
    const config = readEnabled(context);
    const { operator, secret, expiresAt } = await context.withApp((app) =>
      createSignInLink(app, name),
    );
    const url = `${consoleUrlOf(config)}/console/link?token=${secret}`;
    return {
      json: { name: operator.name, url, expires_at: formatTime(expiresAt) },
      text:
        `${url}\n\n${operator.name} can sign in with this link once, until ${formatTime(expiresAt)}.` +
        (config.consoleUrl === undefined ? otherAddress : ""),
    };
  },
});

const otherAddress =
  "\nIf the console has another address, set CONSOLE_URL, or the PORT of the server, for this command, too.";

function readEnabled({ environment }: Context): Config {
  const config = readConfig(environment);
  if (!config.console) throw new UsageError("The console is disabled (CONSOLE=off).");
  return config;
}

/** Browsers accept passkeys on localhost without TLS, and never on an address. */
function consoleUrlOf({ consoleUrl, port }: Config): string {
  return consoleUrl ?? `http://localhost:${port}`;
}
