// Letters and copies for people outside; see README.md.

import type { Feature } from "../feature.ts";
import { letterTexts } from "./texts.ts";

export const letter: Feature = {
  name: "letter",
  settings: [letterTexts],
  commands: { words: ["letter"], load: () => import("./commands.ts") },
  console: () => import("./console.ts"),
  service: () => import("./serving.ts"),
};
