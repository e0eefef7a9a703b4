// What imports have in the store: a row for each that runs, or has begun within the last weeks, without content.

import { change, every, lookup, ofOrganization } from "../../../store/sql/method.ts";
import type { StorePart } from "../../../store/sql/part.ts";
import * as importRun from "./import-run.ts";

const methods = {
  beginImport: change(ofOrganization, importRun.beginImport),
  reportImport: change(ofOrganization, importRun.reportImport),
  listImports: lookup(every, importRun.listImports),
  purgeImports: change(every, importRun.purgeImports),
} as const;

export const importRuns = {
  name: "imports",
  methods,
  schema: new URL("schema.sql", import.meta.url),
  tables: ["import_run"],
  *erase({ organizationId }) {
    yield* importRun.removeImportsOf(organizationId);
    return undefined;
  },
} satisfies StorePart;
