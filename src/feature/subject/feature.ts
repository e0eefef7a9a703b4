// Requests about what is stored on a person or a company, and letters; see README.md.

import type { Feature } from "../feature.ts";
import { rows } from "./rows.ts";
import { letterTexts } from "./texts.ts";

export const subject: Feature = {
  name: "subject",
  rows,
  settings: [letterTexts],
  commands: { words: ["subject", "letter"], load: () => import("./commands.ts") },
  console: () => import("./console.ts"),
};
