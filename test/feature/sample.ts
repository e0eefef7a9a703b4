// What tests that run over all commands, operations, pages, rights, errors, tables and so on have to know about those
// of a feature.

import type { App } from "../../src/actions/app.ts";
import type { ResourceType } from "../../src/domain/record-type.ts";
import type { NounPage } from "../../src/noun/act.ts";
import type { Act } from "../../src/store/interface/act.ts";
import type { Store } from "../../src/store/interface/store.ts";
import type { CommandLine } from "../cli/command-line.ts";
import type { Engine } from "../conformance/engine.ts";
import type { Scene } from "../contract/scene.ts";
import type { Follower } from "../disclosure/follower.ts";
import type { Customer } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import type { Service } from "../support/service.ts";
import type { TestStore } from "../support/test-store.ts";

export interface Samples {
  /** What a client can use up, as docs/reference/bounds.md names it. */
  readonly resources?: readonly string[];
  /** The commands for which the usual does not hold, by name. */
  readonly commands?: Readonly<Record<string, CommandSample>>;
  /** Which acts check no right of their own, and why. */
  readonly withoutRight?: Readonly<Record<string, string>>;
  readonly settings?: {
    readonly wrong: readonly SettingCase[];
    readonly right: readonly (readonly [name: string, value: string])[];
  };
  readonly store?: StoreSample;
  /** Tests that every engine has to pass. */
  readonly conformance?: readonly ((engine: Engine) => void)[];
  /** What each right is for, on objects that do not exist: refusal comes first. */
  readonly rights?: Readonly<Record<string, (app: App) => unknown>>;
  /** Requests that are answered with each error. */
  readonly errors?: Readonly<Record<string, (scene: Scene, customer: Customer) => Promise<Reply>>>;
  /** By verb: makes what the example of the document needs, and returns the example as it can be sent then. */
  readonly examples?: Readonly<Record<string, Prepare>>;
  /** Pages with forms that have to be confirmed. */
  readonly pages?: readonly NounPage[];
  /** Makes what the pages of an organization show, and returns their paths. */
  readonly showPages?: (app: App, organizationId: string) => Promise<readonly string[]>;
  /** Who follows an organization, and must not disclose what is confidential. */
  readonly follow?: (app: App, organizationId: string) => Follower;
  /** True if deletions name who was informed of what they have erased. */
  readonly isTold?: true;
  /** Signs tokens that a program can exchange for an access token. */
  readonly startPlatform?: () => Promise<Platform>;
  /** A command finds these persons by the name Ada Example, and nobody else. */
  readonly requirePersons?: (line: CommandLine, ids: readonly string[]) => Promise<void>;
  /** The folder that opens connections, and the guide that says to what, unless only a setting does. */
  readonly connects?: { readonly from: string; readonly guide?: string };
  /** The guide that says how clients learn of changes by it. */
  readonly noticesGuide?: string;
  /** Does what a minute of upkeep does. */
  readonly purge?: (app: App) => Promise<void>;
}

export interface Platform {
  readonly trust: (app: App, organizationId: string) => Promise<void>;
  /** A token that can be used once. */
  readonly sign: (organizationId: string, id: string) => string;
  readonly stop: () => Promise<void>;
}

export type Prepare = (service: Service, customer: Customer, example: unknown) => Promise<unknown>;

/** For a store that has the organization. */
export interface StoreSample {
  /**
   * Stores something, so that each of its tables has rows after a record of one of these types is erased. Missing, as
   * `read`, if all its rows are derived from records.
   */
  readonly fill?: (
    store: Store,
    organizationId: string,
    options: { readonly act: Act; readonly types: readonly ResourceType[] },
  ) => Promise<void>;
  /** Adds records to Acme, with rows that are derived from them. */
  readonly derive?: (store: TestStore) => Promise<void>;
  /** Everything of all organizations, to compare two stores. */
  readonly read?: (store: Store) => Promise<readonly { readonly organizationId: string }[]>;
  /** Changes and removes what `fill` has stored. */
  readonly use: (store: Store, organizationId: string, act: Act) => Promise<void>;
  /** For each of its columns with numbers of arrival, the statement that stores the number 50 in a row of Acme. */
  readonly numbers: Readonly<Record<string, string>>;
  /** The statement that resets the table with its state. */
  readonly reset?: string;
  /** The index on PostgreSQL that must be used by the statement in `use` that contains a text. */
  readonly plans?: Readonly<Record<string, string>>;
}

/** Values that are not valid, and what the message says. */
export type SettingCase = readonly [name: string, values: readonly string[], expected: RegExp];

export interface CommandSample {
  /** True if it opens no store, or only one of its own. */
  readonly opensNoStore?: true;
  /** Why anybody may run it. */
  readonly forAnybody?: string;
  /** Why what it prints is not compared between stores that differ in confidential records. */
  readonly incomparable?: string;
}
