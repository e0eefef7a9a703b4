// The commands of the program, those of the core and those of features, as far as a command line needs them.

import type { Command, CommandTable } from "../cli/command.ts";
import * as own from "../cli/commands.ts";
import type { CommandPart, CommandSource } from "../feature/feature.ts";
import { features } from "../feature/features.ts";
import { addedSettings } from "./added-settings.ts";

type Part = Omit<CommandPart, "heading"> & { readonly heading?: string };

const sources: readonly CommandSource<Part>[] = [
  ...Object.entries(own.commandsOf).map(([word, load]) => ({
    words: [word],
    load: async () => ({ commands: await load() }),
  })),
  ...features.flatMap(({ commands }) => commands ?? []),
];

/** The commands that begin with this word; all if none does, because the word may be mistyped. */
export async function loadTable(first?: string): Promise<CommandTable> {
  const named = sources.filter(({ words }) => first !== undefined && words.includes(first));
  const loading = named.length === 0 ? sources : named;
  const parts = await Promise.all(loading.map(({ load }) => load()));
  const commands = parts.flatMap((part) => part.commands);
  const isNamed = ({ name }: Command) => name.split(" ")[0] === first;
  return {
    commands: named.length === 0 ? commands : commands.filter(isNamed),
    groups: joinGroups(parts),
    headings: Object.fromEntries(
      Object.entries(own.headings).map(([heading, words]) => [
        heading,
        [...new Set([...words, ...firstWordsIn(parts, heading)])],
      ]),
    ),
    settings: addedSettings,
    load: loadTable,
  };
}

/** What several say of the same first word is one summary. */
function joinGroups(parts: readonly Part[]): CommandTable["groups"] {
  const said = [own, ...parts].flatMap(({ groups: one = {} }) => Object.entries(one));
  const byWord = Map.groupBy(said, ([word]) => word);
  return Object.fromEntries(
    Array.from(byWord, ([word, all]) => [word, all.map(([, summary]) => summary).join(" ")]),
  );
}

/** A word of the core stays under its heading, whoever adds commands to it. */
function firstWordsIn(parts: readonly Part[], heading: string): readonly string[] {
  const added = parts.filter((part) => part.heading === heading).flatMap((part) => part.commands);
  const words = added.map(({ name }) => name.split(" ")[0] ?? "");
  return words.filter((word) => !Object.hasOwn(own.commandsOf, word));
}
