# SPDX-License-Identifier: MIT
"""data/lkf/make_lkf.c, which converts the tables of Lakefield and of PCI to C: errors in tables."""
import os
import subprocess

from e2e import BUILD, equal, main

RANGES = "first,last,section,unit,wake,group,count,note\n"
PCI = ("on,device,offset,bytes,symbol,reset,firmware,writable,clears,keeps,behaviour,name,note\n")


def make(directory, name, text):
    path, out = os.path.join(directory, name), os.path.join(directory, "out")
    with open(path, "wb") as file:
        file.write(text.encode("latin-1"))
    done = subprocess.run([os.path.join(BUILD, "src", "make_lkf"), out + ".c", path],
                          capture_output=True, text=True)
    return done.returncode, done.stderr.replace(path, name).strip(), out


def test_malformed_tables_are_reported_by_line(directory):
    rows = [
        ("mmio-ranges.csv", "", 0, "no rows"),
        ("mmio-ranges.csv", RANGES, 1, "no rows"),
        ("mmio-ranges.csv", "first,last\n", 1, "expected the header first,last,section"),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GTI,NONE,1\n", 2, "fewer fields"),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GTI,NONE,1,a,b\n", 2, "more fields"),
        ("mmio-ranges.csv", RANGES + "0,0xf,,OA,GTI,NONE,1,\n", 2, 'last "0xf"'),
        ("mmio-ranges.csv", RANGES + "0,F,,OA,GTI,NONE,1,\n", 2, 'last "F"'),
        ("mmio-ranges.csv", RANGES + ",f,,OA,GTI,NONE,1,\n", 2, 'first ""'),
        ("mmio-ranges.csv", RANGES + "0,f,,,GTI,NONE,1,\n", 2, "no unit"),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GT,NONE,1,\n", 2, 'wake "GT", expected one of'),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,,NONE,1,\n", 2, 'wake ""'),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,AON GTI,NONE,1,\n", 2, 'wake "AON GTI"'),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GTI,EU,1,\n", 2, 'group "EU"'),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GTI,NONE,a,\n", 2, 'count "a"'),
        ("mmio-ranges.csv", "# x\n" + RANGES + '0,f,,"OA,GTI,NONE,1,\n', 3, "byte 22"),
        ("mmio-ranges.csv", RANGES + "0,f,,O\xe9,GTI,NONE,1,\n", 2, "byte e9 at column 7"),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GTI,NONE,1,", 2, "cut off"),
        ("mmio-ranges.csv", RANGES + "0,f,,OA,GTI,NONE,1," + "x" * 300 + "\n", 2, "cut off"),
        ("registers.csv", RANGES, 1, "expected the header on,device,offset"),
        ("registers.csv", PCI + "SNB,HOST,000,2,VID2,11112222333344445,0,0,0,0,FIXED,Vendor,x\n", 2,
         "reset"),
        ("registers.csv", PCI + "SNB,HOST,000,2,VID2,8086,8086,0,0,0,FIXED,,x\n", 2, "no name"),
        ("registers.csv", PCI + "SNB,HOST,000,2,VID2,8086,8086,0,0,0,FIXED,Vendor,\n", 2, "no note"),
        ("registers.csv", PCI + "SNB,HOST,000,2,VID 2,8086,8086,0,0,0,FIXED,Vendor,x\n", 2,
         'symbol "VID 2"'),
        ("registers.csv", PCI + "SNB,HOST,000,2,2VID,8086,8086,0,0,0,FIXED,Vendor,x\n", 2,
         "expected a C name"),
        ("registers.csv", PCI + ",HOST,000,2,VID2,8086,8086,0,0,0,FIXED,Vendor,x\n", 2, "no on"),
        ("registers.csv", PCI + "SNB HSW,HOST,000,2,VID2,8086,8086,0,0,0,FIXED,Vendor,x\n", 2,
         'on "HSW", expected some of'),
        ("registers.csv", PCI + "SNB,BUS,000,2,VID2,8086,8086,0,0,0,FIXED,Vendor,x\n", 2,
         'device "BUS"'),
        ("registers.csv", PCI + "SNB,HOST,000,2,VID2,8086,8086,0,0,0,NONE,Vendor,x\n", 2,
         'behaviour "NONE"'),
        ("other.csv", PCI, 0, "expected mmio-ranges.csv or registers.csv"),
    ]
    for name, text, line, message in rows:
        code, said, _ = make(directory, name, text)
        equal(code, 1, text)
        assert said.startswith(f"{name}:{line}: ") and message in said, (text, said)


def test_a_good_table(directory):
    code, said, out = make(directory, "registers.csv",
                           "# a remark\n" + PCI + "SNB BDW,GRAPHICS,010,8,BAR,4,c,ff00000000000000,"
                           "0,1,STORAGE,A name,A note\n")
    equal((code, said), (0, ""))
    with open(out + ".c", encoding="ascii") as file:
        text = file.read()
    assert ('{PCI_ON(SNB) | PCI_ON(BDW), GT_PCI_GRAPHICS, 0x010, 8, "BAR", 0x4, 0xc, '
            '0xff00000000000000, 0x0, 0x1, GT_PCI_STORAGE, "A name", "A note"},') in text, text
    assert "gt_pci_register_count = 1;" in text


if __name__ == "__main__":
    main()
