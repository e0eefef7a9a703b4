// What a check of a release is: it reads a checkout and reports every problem that it finds. It never changes anything.

export interface Checkout {
  readonly root: string;
  /** Of the release, from package.json. */
  readonly version: string;
}

export interface Outcome {
  /** Empty if the check passes. Each says where the problem is and what to do. */
  readonly problems: readonly string[];
  /** What was found, for the checklist. */
  readonly found: string;
}

export interface Check {
  readonly name: string;
  readonly run: (checkout: Checkout) => Outcome | Promise<Outcome>;
}

/** A check that can't read what it needs fails. */
export async function runCheck(check: Check, checkout: Checkout): Promise<Outcome> {
  try {
    return await check.run(checkout);
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: String(error) };
    return { problems: [message.trim()], found: "" };
  }
}
