// `sluice letter texts`: the texts of letters, as a file that can be changed.

import { defineCommand } from "../../cli/command.ts";
import { readConfig, valueOf } from "../../settings/config.ts";
import { letterTexts } from "./texts.ts";

const texts = defineCommand({
  name: "letter texts",
  summary: "Print the texts of letters, to change or translate them.",
  details:
    "Prints one JSON object with every text: those of LETTER_TEXTS, and the English ones that this file lacks. A file for " +
    "LETTER_TEXTS may have some of them. What is in braces is filled in and has to stay.",
  examples: ["sluice letter texts > letters.json"],
  rights: [],
  arguments: {},
  options: {},
  run: ({ environment }) => {
    const { all } = valueOf(readConfig(environment, [letterTexts]), letterTexts);
    return Promise.resolve({ json: all, text: JSON.stringify(all, undefined, 2) });
  },
});

export const heading = "Tools";

export const groups = { letter: "Letters for people outside." };

export const commands = [texts];
