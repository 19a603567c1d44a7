package io.baton.cluster;

import io.baton.member.View;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What people read. */
public final class Texts {
  private Texts() {}

  /** Why something about a file failed: often the failure itself says no more than its name. */
  public static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    } else if (failure instanceof AccessDeniedException) {
      return "permission denied";
    } else if (failure instanceof FileAlreadyExistsException) {
      return "it is a file, not a folder";
    } else if (failure instanceof CharacterCodingException) {
      return "it is not text in UTF-8";
    } else if (failure instanceof FileSystemException file && file.getReason() != null) {
      return file.getReason();
    }
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  static String of(View.Place place) {
    return place.peer().id() + " at " + place.address();
  }

  /** Who waits for whom. */
  public static String of(List<Blocked> cycle) {
    StringBuilder text = new StringBuilder("Deadlock: ");
    for (int k = 0; k < cycle.size(); k++) {
      Blocked step = cycle.get(k);
      Blocked holder = cycle.get((k + 1) % cycle.size());
      text.append(k == 0 ? "" : "; ")
          .append("%s of %s waits for \"%s\"".formatted(step.name(), step.member(), step.lock()))
          .append(", which %s of %s".formatted(holder.name(), holder.member()))
          .append(" holds with fence ")
          .append(step.fence());
    }
    return text.toString();
  }

  /** A view, and who went since another. */
  static String of(View view, View former) {
    String members = view.places().stream().map(Texts::of).collect(Collectors.joining(", "));
    Set<String> ids =
        view.places().stream().map(place -> place.peer().id()).collect(Collectors.toSet());
    List<String> gone =
        former.places().stream()
            .filter(place -> !ids.contains(place.peer().id()))
            .map(Texts::of)
            .toList();
    return "view %d, epoch %d: %s%s"
        .formatted(
            view.number(),
            view.epoch(),
            members,
            gone.isEmpty() ? "" : "; gone: " + String.join(", ", gone));
  }
}
