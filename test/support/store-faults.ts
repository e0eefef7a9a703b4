// A store whose methods a test can replace one by one, such as to make them fail or wait.

import type { Store } from "../../src/store/interface/store.ts";

export type OwnMethod = Exclude<keyof Store, "engine" | "schemaVersion">;
/** A method of the store, or the name of a store part and of its method. */
export type StoreMethod = OwnMethod | `${string}.${string}`;

export interface Held {
  /** Resolves when the method has been called as often as was asked for. */
  readonly called: Promise<void>;
  /** Lets all calls go on, and no further ones wait. */
  release(): void;
}

type Method = (...sent: readonly unknown[]) => Promise<unknown>;

export class StoreFaults {
  readonly #replaced = new Map<string | symbol, Method>();
  #bound: (name: string | symbol) => unknown = () => undefined;

  /** To be called once. */
  wrap(real: Store): Store {
    const methods = new Map<string | symbol, unknown>();
    const of: Store["of"] = (part) =>
      new Proxy(real.of(part), {
        get: (bound, name) => {
          const full = `${part.name}.${String(name)}`;
          methods.set(full, Reflect.get(bound, name));
          return this.#replaced.get(full) ?? methods.get(full);
        },
      });
    methods.set("of", of);
    this.#bound = (name) => {
      if (methods.has(name)) return methods.get(name);
      const value: unknown = Reflect.get(real, name, real);
      if (typeof value !== "function") return value;
      methods.set(name, value.bind(real));
      return methods.get(name);
    };
    return new Proxy(real, { get: (_, name) => this.#replaced.get(name) ?? this.#bound(name) });
  }

  /**
   * From now on calls of the method are made with `instead`, which may call the real one, until the function that it
   * returns is called.
   */
  replace<Name extends OwnMethod>(method: Name, instead: Store[Name]): () => void {
    return this.#replace(method, instead as Method);
  }

  #replace(method: StoreMethod, instead: Method): () => void {
    this.#replaced.set(method, instead);
    return () => void this.#replaced.delete(method);
  }

  /** Makes the method reject with this error, until the function that it returns is called. */
  break(method: StoreMethod, error: Error): () => void {
    return this.#replace(method, () => Promise.reject(error));
  }

  /** Keeps calls of the method waiting until they are released. */
  hold(method: StoreMethod, calls = 1): Held {
    let left = calls;
    const called = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#replaced.set(method, async (...sent) => {
      left -= 1;
      if (left === 0) called.resolve();
      await released.promise;
      return (this.#bound(method) as Method)(...sent);
    });
    return {
      called: called.promise,
      release: () => {
        this.#replaced.delete(method);
        released.resolve();
      },
    };
  }
}
