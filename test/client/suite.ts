// All tests of the client that depend on the server. A further engine is one more file like
// sqlite.test.ts.

import type { Engine } from "./engine.ts";
import { testExactlyOnce } from "./exactly-once.ts";
import { testOperations } from "./operations.ts";
import { testUploads } from "./uploads.ts";

export function testClient(engine: Engine): void {
  testOperations(engine);
  testUploads(engine);
  testExactlyOnce(engine);
}
