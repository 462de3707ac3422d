// Which databases of a server were made since they were listed last: what these hold happened since then. Pure. Guards: only
// where the list before was complete, templates included, and of the same life of the server; a database that was renamed, or was a
// template before, is none.

/** All databases of a server at one time. */
export interface DatabaseList {
  /** By object id. */
  readonly names: ReadonlyMap<string, string>;
  /** None was cut off. */
  readonly isWhole: boolean;
  /** By the collector's clock. */
  readonly at: number;
  readonly server_instance: string | undefined;
}

export class DatabaseBirths {
  #list: DatabaseList | undefined;
  #madeAfter = new Map<string, number>();

  /** Whether the list is of this life of the server: the databases of another one have other ids under the same names. */
  isListedIn(server_instance: string | undefined): boolean {
    return this.#list !== undefined && this.#list.server_instance === server_instance;
  }

  listed(list: DatabaseList): void {
    const before = this.#list;
    this.#list = list;
    const known = new Map([...this.#madeAfter].filter(([id]) => list.names.has(id)));
    const isSame = before !== undefined && before.server_instance === list.server_instance;
    this.#madeAfter = isSame ? known : new Map();
    if (!isSame || !before.isWhole) return;
    for (const id of list.names.keys()) if (!before.names.has(id)) this.#madeAfter.set(id, before.at);
  }

  /** When all were listed last without it, or `least` where that is later; undefined: nobody knows. */
  madeAfter(name: string, least: number): number | undefined {
    for (const [id, listed] of this.#madeAfter)
      if (this.#list?.names.get(id) === name) return Math.max(listed, least);
    return undefined;
  }
}
