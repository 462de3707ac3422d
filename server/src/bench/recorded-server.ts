// Thousands of servers that are one: a process that speaks the protocol, asks a real PostgreSQL each statement once and
// repeats its answer from then on. The role that signs in says which server it wants to be on (m17), and only its
// system identifier differs. So a collector can be measured against more servers than a machine could run; what it
// reads never changes, and that a server takes time is not in it. Arguments: socket directory and port of the real one.
import net from 'node:net';
import path from 'node:path';

const [socketDir = '', realPort = ''] = process.argv.slice(2);
const SUPERUSER = 'postgres';
const IDENTIFIER_DIGITS = 19;

type Take = (message: Buffer, type: string) => void;

/** Cuts a stream into messages; the first one of a client has no type. */
function messages(take: Take, isUntyped = false): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = isUntyped;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      const type = untyped ? '' : String.fromCharCode(message[0] ?? 0);
      untyped = false;
      take(message, type);
    }
  };
}

function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}

/** A session on the real server that answers one thing after another. */
class Source {
  /** What the server says when somebody has signed in. */
  readonly greeting: Promise<Buffer>;
  readonly #socket: net.Socket;
  #tail: Promise<Buffer>;
  #heard: Buffer[] = [];
  #answered: ((answer: Buffer) => void) | undefined;

  constructor(database: string) {
    this.#socket = net.connect(path.join(socketDir, `.s.PGSQL.${realPort}`));
    this.#socket.on(
      'data',
      messages((message, type) => {
        this.#heard.push(message);
        if (type !== 'Z') return;
        this.#answered?.(Buffer.concat(this.#heard));
        this.#heard = [];
      }),
    );
    this.greeting = this.#say(startup(SUPERUSER, database));
    this.#tail = this.greeting;
  }

  #say(words: Buffer): Promise<Buffer> {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    this.#answered = resolve;
    this.#socket.write(words);
    return promise;
  }

  ask(words: Buffer): Promise<Buffer> {
    this.#tail = this.#tail.then(() => this.#say(words));
    return this.#tail;
  }
}

const sources = new Map<string, Source>();
const answers = new Map<string, Promise<Buffer>>();

function sourceOf(database: string): Source {
  const known = sources.get(database) ?? new Source(database);
  sources.set(database, known);
  return known;
}

function answerTo(words: Buffer, database: string): Promise<Buffer> {
  const key = `${database}\0${words.toString('latin1')}`;
  const known = answers.get(key) ?? sourceOf(database).ask(Buffer.from(words));
  answers.set(key, known);
  return known;
}

/** The same answer with the identifier of server `number`. */
function withIdentity(answer: Buffer, number: number): Buffer {
  const text = answer.toString('latin1');
  const own = String(7_000_000_000_000_000_000n + BigInt(number)).slice(0, IDENTIFIER_DIGITS);
  return Buffer.from(text.replace(/\d{19}/, own), 'latin1');
}

function serve(socket: net.Socket): void {
  let [database, number, words] = ['postgres', 0, [] as Buffer[]];
  let before: Promise<unknown> = Promise.resolve();
  const put = (reply: Promise<Buffer>) => {
    before = Promise.all([before, reply]).then(([, answer]) => {
      if (!socket.destroyed) socket.write(answer);
    });
  };
  const take: Take = (message, type) => {
    if (type === '') {
      const fields = message.subarray(8).toString().split('\0');
      const named = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
      [database, number] = [named('database'), Number(named('user').slice(1))];
      return put(sourceOf(database).greeting);
    }
    if (type === 'X') return socket.end();
    words.push(message);
    if (type !== 'S' && type !== 'Q') return;
    const asked = Buffer.concat(words);
    words = [];
    const isIdentity = asked.includes('collector.identity');
    put(answerTo(asked, database).then((answer) => (isIdentity ? withIdentity(answer, number) : answer)));
  };
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', messages(take, true));
}

const server = net.createServer(serve);
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`);
});
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
