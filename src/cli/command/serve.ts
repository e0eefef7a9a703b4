// `sluice serve`

import { describeUnknownSettings, readConfig } from "../../config.ts";
import type { Serving } from "../../serve.ts";
import { disablePretenuring, limitHeap } from "../v8-flags.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { type Context, defineCommand } from "../command.ts";
import { describeFirstSteps } from "../output/first-steps.ts";
import { makeFirstOrganization } from "../first-organization.ts";
import { awaitStopSignal } from "../stop-signal.ts";

export const serve = defineCommand({
  name: "serve",
  summary: "Serve the API and process deletions until SIGTERM or SIGINT.",
  details:
    "Creates the store if there is none. In a store without organizations, unless NODE_ENV is production, it also creates an " +
    "organization named demo, prints its API key once, and prints commands to try. The first signal stops it when the " +
    "requests in flight are finished (SHUTDOWN_DELAY_MS, SHUTDOWN_GRACE_MS); a further one ends the delay, or the process " +
    "at once.",
  examples: ["sluice serve", "HOST=0.0.0.0 PORT=80 DATA_DIR=/var/lib/sluice sluice serve"],
  arguments: {},
  options: {},
  run: async (context) => {
    limitHeap({ garbagePercent: 30 });
    const server = await startServer(context);
    const stopping = awaitStopSignal();
    try {
      const first = await makeFirstOrganization(context);
      if (context.json) {
        context.out.write(`${JSON.stringify({ address: server.address, ...first })}\n`);
      } else {
        context.out.write(`Listening on ${server.address}\n`);
        if (first !== undefined)
          context.out.write(`\n${describeFirstSteps(server.address, first)}\n`);
      }
      await stopping.received;
      server.drain();
      await stopping.delay(readConfig(context.environment).shutdownDelayMs);
    } finally {
      await server.stop();
      stopping.release();
    }
    return undefined;
  },
});

async function startServer(context: Context): Promise<Serving> {
  const config = readConfig(context.environment);
  disablePretenuring();
  const module = await import("../../serve.ts");
  try {
    return await module.serve(config, { warnings: describeUnknownSettings(context.environment) });
  } catch (cause) {
    throw new OperatorError("serve", cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}
