// An error of a store as a whole: it can't be opened, or can't continue. The message is for operators: it names the store and
// says what to do. Never contains record content.

export class StoreError extends Error {
  override readonly name = "StoreError";
}
