// The features of the service, a line each. A feature may import those above it.

import { completion } from "./completion/feature.ts";
import { csv } from "./csv/feature.ts";
import { demo } from "./demo/feature.ts";
import { exporting } from "./export/feature.ts";
import type { Feature } from "./feature.ts";
import { follow } from "./follow/feature.ts";
import { find } from "./find/feature.ts";
import { identity } from "./identity/feature.ts";
import { move } from "./move/feature.ts";
import { imports } from "./import/feature.ts";
import { feed } from "./feed/feature.ts";
import { proof } from "./proof/feature.ts";
import { recipient } from "./recipient/feature.ts";
import { subject } from "./subject/feature.ts";
import { telemetry } from "./telemetry/feature.ts";
import { upload } from "./upload/feature.ts";
import { webhook } from "./webhook/feature.ts";

export const features: readonly Feature[] = [
  completion,
  csv,
  demo,
  telemetry,
  proof,
  exporting,
  identity,
  move,
  find,
  subject,
  follow,
  feed,
  recipient,
  webhook,
  imports,
  upload,
];
