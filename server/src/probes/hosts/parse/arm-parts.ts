// Names of ARM designs as lscpu prints them; the kernel only tells the numbers of maker and part.
const PARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '0x41': {
    '0xd03': 'Cortex-A53',
    '0xd04': 'Cortex-A35',
    '0xd05': 'Cortex-A55',
    '0xd07': 'Cortex-A57',
    '0xd08': 'Cortex-A72',
    '0xd09': 'Cortex-A73',
    '0xd0a': 'Cortex-A75',
    '0xd0b': 'Cortex-A76',
    '0xd0c': 'Neoverse-N1',
    '0xd0d': 'Cortex-A77',
    '0xd40': 'Neoverse-V1',
    '0xd41': 'Cortex-A78',
    '0xd44': 'Cortex-X1',
    '0xd49': 'Neoverse-N2',
    '0xd4a': 'Neoverse-E1',
    '0xd4b': 'Cortex-A78C',
    '0xd4f': 'Neoverse-V2',
    '0xd83': 'Neoverse-V3AE',
    '0xd84': 'Neoverse-V3',
    '0xd8e': 'Neoverse-N3',
  },
  '0x43': { '0x0a1': 'ThunderX 88XX', '0x0af': 'ThunderX2 99xx', '0x0b8': 'ThunderX3 T110' },
  '0x48': { '0xd01': 'TaiShan v110', '0xd02': 'TaiShan v120' },
  '0x61': { '0x022': 'Apple M1 (Icestorm)', '0x023': 'Apple M1 (Firestorm)' },
  '0xc0': { '0xac3': 'Ampere-1', '0xac4': 'Ampere-1a' },
};

export function armModel(implementer: string | undefined, part: string | undefined): string | undefined {
  return PARTS[implementer?.toLowerCase() ?? '']?.[part?.toLowerCase() ?? ''];
}
