// How a person calls this program, for messages that say what to type next.

/** A checkout, which runs the sources, has the program only by npx. */
export const sluice = import.meta.url.endsWith(".ts") ? "npx sluice" : "sluice";
