// Runs in a thread of its own: asks Scalar's plugin for its script, as a browser would, and posts it in every encoding.
// Nothing that it registers is ever served.

import { parentPort } from "node:worker_threads";
import scalar from "@scalar/fastify-api-reference";
import { fastify } from "fastify";
import { encode } from "../reply/representation.ts";

const server = fastify();
await server.register(scalar, { routePrefix: "/page", configuration: { content: {} } });
const { statusCode, rawPayload } = await server.inject("/page/js/scalar.js");
if (statusCode !== 200) throw new Error(`the reference's script answers ${statusCode}`);
parentPort?.postMessage(await encode(rawPayload), []);
