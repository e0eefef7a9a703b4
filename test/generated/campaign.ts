// `npm run generated-clients`: clients in Python and Go, generated from the OpenAPI document with
// common tools, checked and run against a service. A language whose tools are not installed is
// skipped, and the last line says so.

import { writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { startScene } from "../contract/scene.ts";
import { buildOpenApi } from "../../src/http/openapi.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type ClientMaker, clientMakers, missingTool, type Target } from "./client-maker.ts";

type Outcome = "passed" | "skipped" | "failed";

const write = (line: string) => process.stdout.write(`${line}\n`);

async function tryMaker(maker: ClientMaker, target: Target): Promise<Outcome> {
  const missing = await missingTool(maker);
  if (missing !== undefined) {
    write(`skipped ${maker.language}: the machine has no \`${missing}\``);
    return "skipped";
  }
  try {
    const printed = await maker.make(makeTempFolder(), target);
    if (!isDeepStrictEqual(JSON.parse(printed), maker.expected)) throw new Error(printed);
    write(`passed ${maker.language}`);
    return "passed";
  } catch (error) {
    write(`FAILED ${maker.language}: ${error instanceof Error ? error.message : String(error)}`);
    return "failed";
  }
}

const scene = await startScene();
const { token } = await scene.makeCustomer();
const document = join(makeTempFolder(), "openapi.json");
writeFileSync(document, JSON.stringify(buildOpenApi()));
const outcomes: Outcome[] = [];
for (const maker of clientMakers) {
  outcomes.push(await tryMaker(maker, { document, baseUrl: scene.service.address, token }));
}
await scene.stop();
const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
write(`${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`);
process.exitCode = count("failed") === 0 ? 0 : 1;
