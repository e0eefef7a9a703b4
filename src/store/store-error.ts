// What is wrong with a store as a whole: it can't be opened, or it can't go on. The message is written for operators: it
// names the store and says what to do. Never holds record content.

export class StoreError extends Error {
  override readonly name = "StoreError";
}
