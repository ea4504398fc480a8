/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_PCI_LAYOUT_H
#define TALLY_INTEL_PCI_LAYOUT_H

/* Layouts of the PCI configuration space, each named after the first platform that has it. The rows
 * of data/pci/registers.csv name their layouts. */
enum intel_pci_layout {
    PCI_SNB, /* capabilities MSI, power management, advanced features */
    PCI_BDW, /* the same with 16 MiB of GTTMMADR */
    PCI_VLV, /* 32-bit BARs; no host bridge that is mirrored */
    PCI_CHV, /* the same with 64-bit BARs */
    PCI_SKL, /* PCI Express, PASID, ATS, page requests */
    PCI_ICL, /* the same with an MSI mask */
    PCI_LKF, /* the same with SR-IOV */
    PCI_DG1, /* a discrete device */
    PCI_LAYOUTS
};

#define PCI_ON(layout) (1u << PCI_##layout)

#endif
