// All commands of the program.

import type { CommandTable } from "../cli/command.ts";
import * as own from "../cli/commands.ts";

export const commandTable: CommandTable = own;
export const { commands, groups, headings } = commandTable;
