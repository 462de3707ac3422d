// JSON text that is sent as it is, perhaps many times over. Guards: what is made of it for the wire, its ETag and its
// compressed forms, belongs to the object and goes with it.
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
