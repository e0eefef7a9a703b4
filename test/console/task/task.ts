// What somebody does in the console, written once for every way of doing it.

import type { Hands, Way } from "../hands.ts";
import type { Scene } from "../scene.ts";

export interface Doing {
  readonly scene: Scene;
  readonly way: Way;
  /** Different in each way of doing a task, for the ids of its records. */
  readonly mark: string;
  /** A browser in which this person has signed in, on the overview. */
  readonly as: (name: string) => Promise<Hands>;
  /** The same, but on the page of sign-in, with an authenticator for passkeys. */
  readonly signedOut: () => Promise<Hands>;
}

export interface Task {
  readonly title: string;
  /** In which way besides by keyboard: without JavaScript where something differs then, which passkeys need. */
  readonly also?: "mouse" | "no script";
  readonly run: (doing: Doing) => Promise<void>;
}
