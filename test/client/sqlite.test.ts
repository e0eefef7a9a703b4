// The client against a real server on SQLite. Everything that depends on the server is tested here; what depends on the
// store or on several servers also in postgres.test.ts.

import { sqlite } from "./engine.ts";
import { testExactlyOnce } from "./exactly-once.ts";
import { testOperations } from "./operations.ts";
import { testUploads } from "./uploads.ts";

testOperations(sqlite);
testUploads(sqlite);
testExactlyOnce(sqlite);
