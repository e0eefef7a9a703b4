// What uploads add to the tables of the core.

import { operatorError } from "../../actions/operator/operator-error.ts";
import { nameRows } from "../../basics/name-rows.ts";
import { setting, wholeNumber } from "../../settings/setting.ts";
import type { AddedRows } from "../feature.ts";

/** What operators are told. */
export const operatorErrors = nameRows({
  no_such_upload: operatorError(404, "There is no such upload."),
});

export const rows: AddedRows = { operatorErrors };

export const uploadBytesMax = setting(
  "UPLOAD_BYTES_MAX",
  "100000000",
  "Maximum size of a file that is uploaded in the console, in bytes; 0 disables uploads.",
  wholeNumber(0, 100_000_000_000),
);
