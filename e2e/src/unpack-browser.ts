// Run as a process of its own, because the package unpacks into the temporary directory of the process: takes
// Chromium, its shared libraries, its software renderer and a font out of the npm package.
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

const PARTS = ['chromium.br', 'al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'];
const packed = new URL('../bin/', import.meta.resolve('@sparticuz/chromium'));

await Promise.all(PARTS.map((part) => inflate(fileURLToPath(new URL(part, packed)))));
