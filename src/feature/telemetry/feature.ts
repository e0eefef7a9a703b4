// Traces and their export over OTLP; see README.md.

import { telemetrySettings } from "./settings.ts";
import type { Feature } from "../feature.ts";

export const telemetry: Feature = {
  name: "telemetry",
  settings: Object.values(telemetrySettings),
  service: () => import("./serving.ts"),
};
