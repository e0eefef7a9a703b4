// The client against a real server on SQLite.

import { sqlite } from "./engine.ts";
import { testClient } from "./suite.ts";

testClient(sqlite);
