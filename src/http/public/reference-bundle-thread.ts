// Runs in its own thread: requests the script of Scalar's plugin, as a browser would, and posts it in every encoding.
// The server here accepts no connections.

import { parentPort } from "node:worker_threads";
import scalar from "@scalar/fastify-api-reference";
import { fastify } from "fastify";
import { encode } from "../reply/representation.ts";

const server = fastify();
await server.register(scalar, { routePrefix: "/page", configuration: { content: {} } });
const { statusCode, rawPayload } = await server.inject("/page/js/scalar.js");
if (statusCode !== 200) throw new Error(`the reference's script answers ${statusCode}`);
parentPort?.postMessage(await encode(rawPayload), []);
