// The files of the client that are generated from the service's own schemas (npm run docs). A test compares each with what
// is there.

import { renderCodes } from "./codes.ts";
import { renderCollections } from "./collections.ts";
import { renderRecords } from "./records.ts";
import { renderReplies } from "./replies.ts";

export interface GeneratedFile {
  /** From the root. */
  readonly path: string;
  readonly render: () => string;
}

export const clientFiles: readonly GeneratedFile[] = [
  { path: "client/src/generated/codes.ts", render: renderCodes },
  { path: "client/src/generated/collections.ts", render: renderCollections },
  { path: "client/src/generated/records.ts", render: renderRecords },
  { path: "client/src/generated/replies.ts", render: renderReplies },
];
