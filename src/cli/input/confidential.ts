// The option of every command that otherwise shows nothing about confidential records and restricted sets.

import { flag } from "../command.ts";

export const confidentialOptions = {
  includeConfidential: flag(
    "Also show what is confidential. For officers only: do not pass the output on.",
  ),
};
