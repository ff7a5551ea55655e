package keyfleet.providers;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/// Why a file cannot be used, in the words of people and of the operating system.
public final class FileErrorText {
  private FileErrorText() {}

  public static String of(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "it does not exist";
      case NotDirectoryException _ -> "it is not a folder";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException it when it.getReason() != null -> it.getReason();
      default -> "the disk failed to answer";
    };
  }
}
