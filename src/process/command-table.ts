// All commands of the program: those of the core, and those of features.

import type { CommandTable } from "../cli/command.ts";
import * as own from "../cli/commands.ts";
import { addedSettings } from "./added-settings.ts";
import { loadParts } from "./load-parts.ts";

const parts = await loadParts((feature) => feature.commands);

export const commandTable: CommandTable = {
  commands: [...own.commands, ...parts.flatMap((part) => part.commands)],
  groups: joinGroups(),
  headings: Object.fromEntries(
    Object.entries(own.headings).map(([heading, words]) => [
      heading,
      [...new Set([...words, ...firstWordsIn(heading)])],
    ]),
  ),
  settings: addedSettings,
};
export const { commands, groups, headings } = commandTable;

/** What several say of the same first word is one summary. */
function joinGroups(): CommandTable["groups"] {
  const said = [own, ...parts].flatMap(({ groups: one = {} }) => Object.entries(one));
  const byWord = Map.groupBy(said, ([word]) => word);
  return Object.fromEntries(
    Array.from(byWord, ([word, all]) => [word, all.map(([, summary]) => summary).join(" ")]),
  );
}

function firstWordsIn(heading: string): readonly string[] {
  const added = parts.filter((part) => part.heading === heading).flatMap((part) => part.commands);
  return added.map(({ name }) => name.split(" ")[0] ?? "");
}
