// `sluice openapi`

import { defineCommand } from "../command.ts";

export const openapi = defineCommand({
  name: "openapi",
  summary: "Print the OpenAPI 3.1 document of the API. Needs no store.",
  examples: ["sluice openapi > openapi.json"],
  rights: [],
  run: async () => {
    // Imported only here, because no other command needs the HTTP API.
    const { publishOpenApi } = await import("../../process/openapi.ts");
    const document = publishOpenApi();
    return { json: document, text: JSON.stringify(document, null, 2) };
  },
});
