// Uploads of files in the console; see README.md.

import type { Feature } from "../feature.ts";
import { rows, uploadBytesMax } from "./rows.ts";

export const upload: Feature = {
  name: "upload",
  rows,
  settings: [uploadBytesMax],
  console: () => import("./console.ts"),
  service: () => import("./serving.ts"),
};
