// An error that prevents a store from being opened, or from continuing. The message is for operators: it names the
// store and says what to do. Never contains record content.

export class StoreError extends Error {
  override readonly name = "StoreError";
}
