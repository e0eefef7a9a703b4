// The part of the conformance suite that depends on the engine most, on PostgreSQL.

import { usePostgresEngine } from "./postgres-engine.ts";
import { testServer } from "./suite.ts";

testServer(usePostgresEngine("PostgreSQL"));
