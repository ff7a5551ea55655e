package keyfleet.sqlite;

import java.util.Locale;
import java.util.Set;

/// Whether a filesystem is local to one machine. Processes that share a SQLite file coordinate by
/// shared memory and POSIX locks, and neither reaches another machine: two machines on one file
/// corrupt it.
enum FilesystemKind {
  LOCAL,
  /// In memory: everything is lost when the machine stops.
  VOLATILE,
  SHARED,
  UNKNOWN;

  private static final Set<String> LOCAL_TYPES =
      Set.of(
          "ext2",
          "ext3",
          "ext4",
          "xfs",
          "btrfs",
          "zfs",
          "f2fs",
          "jfs",
          "reiserfs",
          "bcachefs",
          "nilfs2",
          "rootfs",
          "overlay",
          "overlayfs",
          "aufs",
          "ecryptfs",
          "ufs",
          "apfs",
          "hfs",
          "ntfs",
          "ntfs3",
          "fuseblk",
          "vfat",
          "exfat",
          "erofs",
          "squashfs");

  private static final Set<String> VOLATILE_TYPES = Set.of("tmpfs", "ramfs", "devtmpfs", "mfs");

  /// Includes host folders in a virtual machine: several machines may mount them.
  private static final Set<String> SHARED_TYPES =
      Set.of(
          "nfs",
          "nfs4",
          "cifs",
          "smb",
          "smb2",
          "smb3",
          "smbfs",
          "9p",
          "afs",
          "afpfs",
          "webdav",
          "ceph",
          "glusterfs",
          "lustre",
          "beegfs",
          "gpfs",
          "gfs",
          "gfs2",
          "ocfs2",
          "orangefs",
          "pvfs2",
          "coda",
          "ncpfs",
          "fuse",
          "macfuse",
          "osxfuse",
          "virtiofs",
          "vboxsf",
          "vmhgfs",
          "prl_fs");

  /// Classifies by the type name that the operating system reports.
  static FilesystemKind of(String type) {
    String lowerCase = type.toLowerCase(Locale.ROOT);
    if (SHARED_TYPES.contains(lowerCase) || lowerCase.startsWith("fuse.")) {
      return SHARED;
    }
    if (VOLATILE_TYPES.contains(lowerCase)) {
      return VOLATILE;
    }
    return LOCAL_TYPES.contains(lowerCase) ? LOCAL : UNKNOWN;
  }
}
