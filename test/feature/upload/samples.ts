// What shared tests have to know about uploads.

import type { Samples } from "../sample.ts";

const values = ["1 MB", "-1", "200000000000"];

export const samples: Samples = {
  settings: {
    wrong: [["UPLOAD_BYTES_MAX", values, /a whole number from 0 to 100000000000/]],
    right: [],
  },
};
