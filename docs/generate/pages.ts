// All generated files: pages of the reference, and the types of the clients. A test compares each with its file.

import { globSync } from "node:fs";
import { clientFiles } from "../../client/generate/files.ts";
import { chartSchemaPath, renderChartSchema } from "./chart-settings.ts";
import { renderCliReference } from "./cli.ts";
import { otherClientFiles } from "./clients/files.ts";
import { renderAuditActions } from "./audit-actions.ts";
import { pagesWithFeatures } from "./feature-parts.ts";
import { renderBounds } from "./bounds.ts";
import { renderLimits } from "./limits.ts";
import { renderOperations } from "./operations.ts";
import { renderOperatorRights } from "./operator-rights.ts";
import { renderRecords } from "./records.ts";
import { renderScopes } from "./scopes.ts";

export interface GeneratedPage {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly render: () => string;
  /** True if most of it is written by hand. */
  readonly partly?: true;
}

export const pages: readonly GeneratedPage[] = [
  { path: "docs/reference/cli.md", render: renderCliReference },
  { path: "docs/reference/audit-actions.md", render: renderAuditActions },
  ...(await pagesOfFeatures()),
  { path: "docs/reference/bounds.md", render: renderBounds },
  { path: "docs/reference/limits.md", render: renderLimits },
  { path: "docs/reference/operations.md", render: renderOperations },
  { path: "docs/reference/operator-rights.md", render: renderOperatorRights },
  { path: "docs/reference/records.md", render: renderRecords },
  { path: "docs/reference/scopes.md", render: renderScopes },
  ...pagesWithFeatures,
  { path: chartSchemaPath, render: renderChartSchema },
  ...clientFiles,
  ...otherClientFiles,
];

/** Whole pages of a feature, each in the file of its name. */
async function pagesOfFeatures(): Promise<readonly GeneratedPage[]> {
  const files = globSync("feature/*.ts", { cwd: import.meta.dirname }).toSorted();
  const modules = files.map((file) => import(`./${file}`) as Promise<Pages>);
  return (await Promise.all(modules)).flatMap((one) => one.pages);
}

interface Pages {
  readonly pages: readonly GeneratedPage[];
}
