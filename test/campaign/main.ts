// `npm run campaign -- NAME [options]`; without a name it lists the campaigns.

import { abuse } from "../abuse/campaign.ts";
import { changes } from "../changes/run-store.ts";
import { crash } from "../crash/crash-campaign.ts";
import { crashClosing } from "../crash/closing/campaign.ts";
import { crashImport } from "../crash/import/campaign.ts";
import { crashRestore } from "../crash/restore/campaign.ts";
import { disclosure } from "../disclosure/campaign.ts";
import { timing } from "../disclosure/timing.ts";
import { twins } from "../disclosure/twins.ts";
import { durableStreams } from "../durable-streams/campaign.ts";
import { durableStreamsClients } from "../durable-streams/clients.ts";
import { failover } from "../failover/campaign.ts";
import { fuzz } from "../fuzz/campaign.ts";
import { fuzzRaw } from "../fuzz/raw-campaign.ts";
import { generatedClients } from "../generated/campaign.ts";
import { mutants } from "../mutants/campaign.ts";
import { crashDeletion } from "../receipt/campaign.ts";
import { features } from "../removal/campaign.ts";
import { retention } from "../retention/campaign.ts";
import { scale } from "../scale/campaign.ts";
import { soak } from "../soak/campaign.ts";
import { shareCompiled } from "../support/compiled.ts";
import { tamper } from "../tamper/campaign.ts";
import { runCampaign } from "./run-campaign.ts";

const campaigns = {
  crash,
  changes,
  deletion: crashDeletion,
  closing: crashClosing,
  import: crashImport,
  failover,
  restore: crashRestore,
  tamper,
  retention,
  disclosure,
  twins,
  timing,
  "durable-streams": durableStreams,
  "durable-streams-clients": durableStreamsClients,
  fuzz,
  "fuzz-raw": fuzzRaw,
  abuse,
  soak,
  scale,
  "generated-clients": generatedClients,
  mutants,
  features,
};

shareCompiled();
const tell = (line: string) => void process.stdout.write(`${line}\n`);
process.exitCode = await runCampaign(campaigns, process.argv.slice(2), tell);
