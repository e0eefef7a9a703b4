// The files of the client that are generated from the schemas of the service (npm run docs). A test compares them with
// the files in the repository.

import { renderCodes } from "./codes.ts";
import { renderCollections } from "./collections.ts";
import { renderRecords } from "./records.ts";
import { renderReplies } from "./replies.ts";

export interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly render: () => string;
}

export const clientFiles: readonly GeneratedFile[] = [
  { path: "client/src/generated/codes.ts", render: renderCodes },
  { path: "client/src/generated/collections.ts", render: renderCollections },
  { path: "client/src/generated/records.ts", render: renderRecords },
  { path: "client/src/generated/replies.ts", render: renderReplies },
];
