// Counts the forms with a file that arrive at once in this process, from their heads on: each holds a connection.

import { OperatorError } from "../../actions/operator/operator-error.ts";

/** How many can be of one person, from any address, and in all. */
const ofPersonMax = 3;
const formsMax = 20;

export class ArrivingForms {
  readonly #people: string[] = [];

  /** Counts one until the returned function is called. Throws OperatorError upload if there are too many. */
  begin(personId: string): () => void {
    const own = this.#people.filter((one) => one === personId).length;
    if (own >= ofPersonMax || this.#people.length >= formsMax) {
      throw new OperatorError(
        "upload",
        "Too many other files are arriving. Try again in a moment; nothing was changed.",
      );
    }
    this.#people.push(personId);
    return () => void this.#people.splice(this.#people.indexOf(personId), 1);
  }
}
