// All commands of the program: those of the core, and those of features.

import type { CommandTable } from "../cli/command.ts";
import * as own from "../cli/commands.ts";
import { addedSettings } from "./added-settings.ts";
import { loadParts } from "./load-parts.ts";

const parts = await loadParts((feature) => feature.commands);

export const commandTable: CommandTable = {
  commands: [...own.commands, ...parts.flatMap((part) => part.commands)],
  groups: Object.assign({}, own.groups, ...parts.map((part) => part.groups)) as typeof own.groups,
  headings: Object.fromEntries(
    Object.entries(own.headings).map(([heading, words]) => [
      heading,
      [...new Set([...words, ...firstWordsIn(heading)])],
    ]),
  ),
  settings: addedSettings,
};
export const { commands, groups, headings } = commandTable;

function firstWordsIn(heading: string): readonly string[] {
  const added = parts.filter((part) => part.heading === heading).flatMap((part) => part.commands);
  return added.map(({ name }) => name.split(" ")[0] ?? "");
}
