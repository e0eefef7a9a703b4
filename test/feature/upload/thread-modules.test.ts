// If a thread is ended while a module with an await outside functions is loaded, V8 aborts, and with it the process:
// anybody who uploads a file and stops at once could end the service. Node refuses to require such modules.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { it } from "node:test";

it("the modules of the thread of an upload await nothing while they are loaded", () => {
  const require = createRequire(import.meta.url);
  const loaded = require("../../../src/feature/upload/serve-upload.ts") as object;
  assert.ok("serveUpload" in loaded);
});
