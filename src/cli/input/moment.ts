// Moments as operators write them: RFC 3339 with an offset, or a day, which begins at midnight UTC.

import {
  isFullDate,
  type NormalisedTimestamp,
  normaliseTimestamp,
} from "../../domain/timestamp.ts";
import { UsageError } from "../../actions/operator-error.ts";
import type { Kind } from "../command.ts";

export const moment: Kind<NormalisedTimestamp> = {
  placeholder: "TIME",
  read: (given) => {
    const read = isFullDate(given)
      ? normaliseTimestamp(`${given}T00:00:00Z`)
      : normaliseTimestamp(given);
    if (read !== undefined) return read;
    throw new UsageError(
      "It must be a time with offset such as 2026-01-31T09:30:00Z, or a day such as 2026-01-31 (from midnight UTC).",
    );
  },
};
