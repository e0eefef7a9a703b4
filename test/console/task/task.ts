// What somebody does in the console, written once for every way of doing it.

import type { Hands, Way } from "../hands.ts";
import type { Scene } from "../scene.ts";

export interface Doing {
  readonly scene: Scene;
  readonly way: Way;
  /** A browser in which this person has signed in, on the overview. */
  readonly as: (name: string) => Promise<Hands>;
  /** The same, but on the page of sign-in, with an authenticator for passkeys. */
  readonly signedOut: () => Promise<Hands>;
}

export interface Task {
  readonly title: string;
  /** How many clicks it may take in a wide and in a narrow window, and how many fields to fill in. */
  readonly most: readonly [wide: number, narrow: number, fields: number];
  /** Whether also without JavaScript, because something differs then. Passkeys need it. */
  readonly withoutScript?: true;
  readonly run: (doing: Doing) => Promise<void>;
}

/** The id in the address of the page. */
export function lastPartOf({ page }: Hands): string {
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}
