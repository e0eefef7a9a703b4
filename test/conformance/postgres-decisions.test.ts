// The rest of the conformance suite on PostgreSQL: what operations decide, by statements that SQLite runs too.

import { usePostgresEngine } from "./postgres-engine.ts";
import { testDecisions } from "./suite.ts";

testDecisions(usePostgresEngine("PostgreSQL"));
