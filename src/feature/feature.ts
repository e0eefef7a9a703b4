// What a feature may add to the service, on one screen. A feature is a folder, and features.ts lists it; nothing outside
// its folder names it (docs/decisions/0076-features-as-folders.md).
//
// Each part is a module that is loaded where it is needed: a command loads no pages, and a service that serves no
// console loads none either.

import type { Command } from "../cli/command.ts";
import type { Panels, Route } from "../console/page.ts";
import type { Operation } from "../http/operation.ts";
import type { Setting } from "../settings/setting.ts";

export interface Feature {
  /** The name of its folder. */
  readonly name: string;
  readonly settings?: readonly Setting<unknown>[];
  readonly commands?: () => Promise<CommandPart>;
  readonly http?: () => Promise<HttpPart>;
  readonly console?: () => Promise<ConsolePart>;
}

export interface CommandPart {
  /** The part of the help in which the commands are. */
  readonly heading: string;
  /** A summary for the first word of commands with two words. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly commands: readonly Command[];
}

export interface HttpPart {
  readonly operations: readonly Operation[];
  /** Parts of the OpenAPI document in which the operations are. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

export interface ConsolePart {
  readonly routes?: readonly Route[];
  readonly panels?: Panels;
}
