// Runs in its own thread: builds the OpenAPI document and posts its text.

import { parentPort } from "node:worker_threads";
import { publishOpenApi } from "./openapi.ts";

parentPort?.postMessage(JSON.stringify(publishOpenApi()), []);
