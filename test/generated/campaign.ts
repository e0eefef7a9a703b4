// Clients generated from the OpenAPI document with common tools, compiled, and in part run against a service. A
// language whose tools are not installed is skipped, and the figures say so.

import { writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import type { Campaign, CampaignOutcome, CampaignRun } from "../campaign/campaign.ts";
import { startScene } from "../contract/scene.ts";
import { publishOpenApi } from "../../src/process/openapi.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type ClientMaker, clientMakers, missingTool, type Target } from "./client-maker.ts";

export const generatedClients: Campaign = {
  about:
    "generates clients in several languages from the OpenAPI document, and compiles or runs them",
  counts: "run",
  countDefault: 1,
  engines: ["sqlite"],
  parts: clientMakers.map(({ name }) => name),
  run: generateAll,
};

async function generateAll({ only }: CampaignRun): Promise<CampaignOutcome> {
  const scene = await startScene();
  const { token } = await scene.makeCustomer();
  const document = join(makeTempFolder(), "openapi.json");
  writeFileSync(document, JSON.stringify(publishOpenApi()));
  const target = { document, baseUrl: scene.service.address, token };
  const figures: Record<string, string> = {};
  const findings: string[] = [];
  for (const maker of clientMakers) {
    if (only?.includes(maker.name) === false) continue;
    const missing = await missingTool(maker);
    const finding = missing === undefined ? await tryMaker(maker, target) : undefined;
    if (finding !== undefined) findings.push(`${maker.name}: ${finding}`);
    const done = finding === undefined ? "passed" : "failed";
    figures[maker.name] =
      missing === undefined ? done : `skipped: the machine has no \`${missing}\``;
  }
  await scene.stop();
  return { figures, findings };
}

async function tryMaker(maker: ClientMaker, target: Target): Promise<string | undefined> {
  try {
    const printed = await maker.make(makeTempFolder(), target);
    return isDeepStrictEqual(JSON.parse(printed), maker.expected) ? undefined : printed;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
