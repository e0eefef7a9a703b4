// The conformance suite on PostgreSQL.

import { usePostgresEngine } from "./postgres-engine.ts";
import { testEngine } from "./suite.ts";

testEngine(usePostgresEngine("PostgreSQL"));
